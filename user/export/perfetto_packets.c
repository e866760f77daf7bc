// SPDX-License-Identifier: GPL-2.0
#include "perfetto_packets.h"

#include "util/names.h"

/* Key of a packet in the file: field 1, bytes. */
#define TRACE_PACKET 0x0a
/* All packets with interned texts are of one sequence. */
#define SEQUENCE 1

int packets_put(struct packets *packets)
{
	struct message *packet = &packets->packet, *head = &packets->head;

	message_varint(head, TRACE_PACKET);
	message_varint(head, packet->size);
	if (packet->failed || head->failed)
		return -1;
	fwrite(head->bytes, 1, head->size, packets->out);
	fwrite(packet->bytes, 1, packet->size, packets->out);
	message_clear(head);
	message_clear(packet);
	return ferror(packets->out) ? -1 : 0;
}

int packets_put_next(struct packets *packets)
{
	message_number(&packets->packet, PACKET_SEQUENCE, SEQUENCE);
	message_number(&packets->packet, PACKET_FLAGS, SEQUENCE_GOES_ON);
	return packets_put(packets);
}

void packets_free(struct packets *packets)
{
	message_free(&packets->packet);
	message_free(&packets->part);
	message_free(&packets->inner);
	message_free(&packets->innermost);
	message_free(&packets->head);
}

/* Most names are. */
static bool is_plain(const u8 *name, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (name[i] < ' ' || name[i] > '~')
			return false;
	return true;
}

void packets_name(struct message *message, u32 field, const void *name, size_t size)
{
	_cleanup_free_ char *text = NULL;

	if (is_plain(name, size)) {
		message_bytes(message, field, name, size);
		return;
	}
	text = name_text(name, size);
	message->failed |= !text;
	if (text)
		message_bytes(message, field, text, strlen(text));
}

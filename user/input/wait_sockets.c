// SPDX-License-Identifier: GPL-2.0
/* Names sockets by the tables of their network namespace, /proc/PID/net/tcp and its like. */
#include "wait_files.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

/* Lines of a table that are looked at; a look-up must end soon. */
#define LINES_MAX 65536
#define STATE_LISTENING 10
#define ADDRESS_SIZE (INET6_ADDRSTRLEN + 8)

/* "0100007F:1F90" to "127.0.0.1:8080". False: it makes no sense, or is no address. */
static bool address_of(const char *hex, unsigned int port, char *words)
{
	char host[INET6_ADDRSTRLEN];
	u32 address[4] = { 0 };
	bool six = strlen(hex) == 32;

	if (!six && strlen(hex) != 8)
		return false;
	for (int i = 0; i < (six ? 4 : 1); i++)
		if (sscanf(hex + 8 * i, "%8x", &address[i]) != 1)
			return false;
	if (!inet_ntop(six ? AF_INET6 : AF_INET, address, host, sizeof(host)))
		return false;
	snprintf(words, ADDRESS_SIZE, six ? "[%s]:%u" : "%s:%u", host, port);
	return true;
}

/* Names the socket by a line of a table of an IP protocol. False: the line is of another one. */
static bool take_line(const char *line, const char *protocol, u64 inode, char *name)
{
	char local_hex[33], peer_hex[33], local[ADDRESS_SIZE], peer[ADDRESS_SIZE];
	unsigned int local_port, peer_port, state;
	unsigned long long found;

	if (sscanf(line, " %*d: %32[0-9A-Fa-f]:%x %32[0-9A-Fa-f]:%x %x %*s %*s %*s %*s %*s %llu",
		   local_hex, &local_port, peer_hex, &peer_port, &state, &found) != 6 ||
	    found != inode || !address_of(local_hex, local_port, local) ||
	    !address_of(peer_hex, peer_port, peer))
		return false;
	if (state == STATE_LISTENING)
		snprintf(name, WAIT_FILE_NAME, "%s listening on %s", protocol, local);
	else if (!peer_port)
		snprintf(name, WAIT_FILE_NAME, "%s on %s", protocol, local);
	else
		snprintf(name, WAIT_FILE_NAME, "%s %s to %s", protocol, local, peer);
	return true;
}

/* Names a socket of the UNIX family. */
static bool take_unix_line(const char *line, u64 inode, char *name)
{
	unsigned long long found;
	char path[108] = "";
	int taken = sscanf(line, " %*x: %*x %*x %*x %*x %*x %llu %107[^\n]", &found, path);

	if (taken < 1 || found != inode)
		return false;
	snprintf(name, WAIT_FILE_NAME, *path ? "unix socket %s" : "unix socket%s", path);
	return true;
}

void wait_socket_of_record(const struct gapp_wait_file *record, char *name)
{
	const char *protocol = record->protocol == IPPROTO_TCP ? "tcp" :
			       record->protocol == IPPROTO_UDP ? "udp" :
								 "socket";
	char host[INET6_ADDRSTRLEN];

	if (record->family == AF_UNIX)
		snprintf(name, WAIT_FILE_NAME, "unix socket");
	else if ((record->family != AF_INET && record->family != AF_INET6) ||
		 (!record->peer_port && !record->local_port))
		snprintf(name, WAIT_FILE_NAME, "socket %llu", record->inode);
	else if (!record->peer_port)
		snprintf(name, WAIT_FILE_NAME, "%s on port %u", protocol, record->local_port);
	else if (inet_ntop(record->family, record->peer, host, sizeof(host)))
		snprintf(name, WAIT_FILE_NAME,
			 record->family == AF_INET6 ? "%s to [%s]:%u" : "%s to %s:%u", protocol,
			 host, record->peer_port);
}

bool wait_socket_name(const char *net, u64 inode, char *name)
{
	static const struct {
		const char *table;
		const char *protocol;
	} tables[] = { { "tcp", "tcp" },  { "tcp6", "tcp" }, { "udp", "udp" },
		       { "udp6", "udp" }, { "raw", "raw" },  { "unix", NULL } };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		char path[128], line[512];
		bool found = false;
		FILE *table;

		snprintf(path, sizeof(path), "%s/%s", net, tables[i].table);
		table = fopen(path, "re");
		if (!table)
			continue;
		for (u32 lines = 0; !found && lines < LINES_MAX; lines++) {
			if (!fgets(line, sizeof(line), table))
				break;
			found = tables[i].protocol ?
					take_line(line, tables[i].protocol, inode, name) :
					take_unix_line(line, inode, name);
		}
		fclose(table);
		if (found)
			return true;
	}
	return false;
}

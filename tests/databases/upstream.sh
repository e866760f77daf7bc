# SPDX-License-Identifier: GPL-2.0
# A server in Python, and nginx, that ask a slow one for each answer. Sourced by guest.sh.
# shellcheck shell=sh

python3 "$folder/upstream.py" slow 9001 >/tmp/slow.log 2>&1 &
slow=$!
python3 "$folder/upstream.py" front 8001 9001 >/tmp/front.log 2>&1 &
front=$!
mkdir -p /tmp/nginx
cat >/tmp/nginx/nginx.conf <<'CONF'
worker_processes 1;
daemon off;
pid /tmp/nginx/pid;
error_log /tmp/nginx/error.log;
events { worker_connections 64; }
http {
	access_log off;
	server {
		listen 127.0.0.1:8002;
		location / { proxy_pass http://127.0.0.1:9001; }
	}
}
CONF
nginx -c /tmp/nginx/nginx.conf >/tmp/nginx.log 2>&1 &
nginx=$!
answers $front /tmp/front.log python3 "$folder/upstream.py" ask 8001
answers $nginx /tmp/nginx.log python3 "$folder/upstream.py" ask 8002

for one in python:$front:8001 nginx:$nginx:8002; do
	name=${one%%:*} one=${one#*:}
	python3 "$folder/upstream.py" load "${one#*:}" >/tmp/load.log 2>&1 &
	load=$!
	answers $load /tmp/load.log grep -q answered /tmp/load.log
	report "$name" -p "${one%:*}" -d 8
	report "$name-wait-objects" -p "${one%:*}" -d 8 --level trace --view wait-objects
	kill -0 $load || fail /tmp/load.log "the load on $name ended too early"
	end $load
done
kill $nginx
wait $nginx || :
end $front $slow

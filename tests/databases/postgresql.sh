# SPDX-License-Identifier: GPL-2.0
# PostgreSQL whose write-ahead log alone is on the slow disk. Sourced by guest.sh.
# shellcheck shell=sh

cluster=/var/lib/postgresql/15/main
mv $cluster/pg_wal /disk/pg_wal
ln -s /disk/pg_wal $cluster/pg_wal
mkdir -p /run/postgresql
chown -R postgres: /disk/pg_wal /run/postgresql
cd /tmp

as_postgres() { # COMMAND…: of PostgreSQL's own folder
	exec /usr/bin/setpriv --reuid=postgres --regid=postgres --init-groups \
		/usr/bin/env PATH="/usr/lib/postgresql/15/bin:$PATH" "$@"
}

as_postgres postgres -D $cluster -c config_file=/etc/postgresql/15/main/postgresql.conf \
	-c autovacuum=off >/tmp/postgres.log 2>&1 </dev/null &
postmaster=$!
answers $postmaster /tmp/postgres.log sh -c '/usr/lib/postgresql/15/bin/pg_isready'
(as_postgres pgbench -i -s 1 -q postgres >/tmp/pgbench.log 2>&1) || fail /tmp/pgbench.log "pgbench -i"
as_postgres pgbench -n -N -c 4 -T 600 -P 1 postgres >/tmp/pgbench.log 2>&1 &
load=$!
answers $load /tmp/pgbench.log grep -q ' [1-9][0-9.]* tps' /tmp/pgbench.log
report postgresql -p "$(head -n 1 $cluster/postmaster.pid)" -d 12
report postgresql-wait-objects -p "$(head -n 1 $cluster/postmaster.pid)" -d 12 --level trace --view wait-objects
kill -0 $load || fail /tmp/pgbench.log "pgbench ended too early"
end $load
# its children end by themselves
kill -INT $postmaster
wait $postmaster || :

# SPDX-License-Identifier: GPL-2.0
# MariaDB whose log is on the slow disk, as installed, and then with the setting that its manual has for such
# disks. Sourced by guest.sh.
# shellcheck shell=sh

# the tables of the package's own installation: to make them takes minutes
socket=/tmp/mysqld.sock
mkdir -p /run/mysqld /disk/mysql
mv /var/lib/mysql/ib_logfile0 /disk/mysql/
chown -R mysql: /run/mysqld /disk/mysql
mariadbd --no-defaults --user=mysql --socket=$socket --skip-networking --innodb-log-group-home-dir=/disk/mysql \
	--innodb-log-file-size=8M --innodb-buffer-pool-size=64M --pid-file=/tmp/mysqld.pid >/tmp/mysqld.log 2>&1 &
mariadb=$!
answers $mariadb /tmp/mysqld.log mariadb-admin --socket=$socket ping
mariadb --socket=$socket -e 'create database if not exists sbtest'

work() { # prepare|run
	exec sysbench oltp_update_non_index --db-driver=mysql --mysql-socket=$socket --mysql-user=root --tables=4 \
		--table-size=1000 --threads=4 --time=600 --report-interval=1 "$1" >/tmp/sysbench.log 2>&1
}

(work prepare) || fail /tmp/sysbench.log "sysbench prepare"
work run &
load=$!
answers $load /tmp/sysbench.log grep -q 'tps: [^0]' /tmp/sysbench.log
report mariadb -p "$(cat /tmp/mysqld.pid)" -d 12
report mariadb-wait-objects -p "$(cat /tmp/mysqld.pid)" -d 12 --level trace --view wait-objects
mariadb --socket=$socket -e 'set global innodb_flush_log_at_trx_commit = 2'
report mariadb-log-flushed-each-second -p "$(cat /tmp/mysqld.pid)" -d 12
kill -0 $load || fail /tmp/sysbench.log "sysbench ended too early"
end $load $mariadb

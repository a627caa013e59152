#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/fleet.md as it stands: its tables, commands and queries, on two ClickHouse servers of the test's own. Each is
# killed while rows are inserted. DuckDB, the small form, is asked as well. The starts are made of a few recordings:
# starts.py says how.
#   run.sh ELFAULT
set -uo pipefail
elfault=$1 here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
PATH=$PATH:/usr/sbin:/sbin # Debian's clickhouse-server is there
starts=3000 files=10

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}
client=$(command -v clickhouse-client) && server=$(command -v clickhouse-server) ||
	skip "clickhouse-client or clickhouse-server is not installed"

work=$(mktemp -d)
pids=()
finish() {
	[ ${#pids[@]} = 0 ] || kill -9 "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	rm -rf "$work"
}
trap finish EXIT
cd "$work" || exit 1
mkdir bin blocks
ln -s "$elfault" bin/elfault
# The document's commands, at the server whose port is in $PORT. Small blocks: of an insert that is killed some were sent.
printf '#!/bin/sh\nexec "%s" --host 127.0.0.1 --port "$PORT" --max_insert_block_size 10000 --min_insert_block_size_rows 10000 --min_insert_block_size_bytes 0 "$@"\n' "$client" >bin/clickhouse-client
chmod +x bin/clickhouse-client
PATH=$work/bin:$PATH
python3 "$root/tests/support/docblocks.py" "$root/docs/fleet.md" blocks

sed -i "s/--repeat [0-9]*/--repeat 1/" blocks/export.sh # one is enough
sh blocks/export.sh >record.log 2>&1 || skip "cannot record here: $(tail -n 1 record.log)"
echo 1..21

n=0 failed=0
result() { # sentence, whether it holds
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" && return
	echo "not ok $n - $1"
	sed 's/^/# /; 40q' errors
	failed=1
}

# ---- Rows

[ "$(cut -d, -f1 rows.ndjson | uniq | wc -l)" = 1 ] && ! grep -vF '"labels":["cure=none","release=1.1"]' rows.ndjson >errors
result "the document's commands record and export" $?
for command in 'git --version' 'python3 -c pass' 'bash -c :'; do
	# shellcheck disable=SC2086 # words
	elfault record --quiet --no-storage -o other.trace -- $command >/dev/null && elfault export --to rows other.trace
done >others.ndjson
[ "$(cut -d, -f1 others.ndjson | uniq | wc -l)" = 3 ] || { echo "Bail out! recordings failed"; exit 1; }
rows() { # number of a file: its rows into rows.ndjson
	cat recorded.ndjson others.ndjson | python3 "$here/starts.py" 'clang-14 --version' \
		$((starts * ($1 - 1) / files)) $((starts * $1 / files)) $starts sums >rows.ndjson
}
mv rows.ndjson recorded.ndjson

# A program that is stripped when its rows are made; its debug file comes later.
cat >warm.c <<'X'
static volatile char pages[64 * 4096];
__attribute__((constructor)) static void warm_up(void)
{
	for (unsigned i = 0; i < 64; i++)
		pages[i * 4096] = 1;
}
int main(void)
{
	return 0;
}
X
{
	cc -O1 -g -Wl,--build-id -o warm warm.c && elfault record --quiet --no-storage -o warm.trace ./warm &&
		objcopy --only-keep-debug warm warm.debug && strip warm && elfault export --to rows warm.trace >stripped &&
		grep -q '"initializer":"fn@0x[^}]*"faults":6[0-9],' stripped && ! grep -q warm_up stripped &&
		elfault resolve warm.debug <stripped >named && grep -q '"initializer":"warm_up"[^}]*"faults":6[0-9],' named &&
		[ "$(grep -c warm_up named)" = "$(grep -c 'init_object":"[^"]*warm"' stripped)" ]
} 2>errors
result "a debug file that comes later names the initializer of a stripped program" $?

# ---- Servers

read -r -a ports < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
[each.bind(("127.0.0.1", 0)) for each in sockets]
print(*[each.getsockname()[1] for each in sockets])')
configure() { # index of a server
	mkdir -p "server$1"
	{
		echo '<yandex><logger><level>warning</level><console>1</console></logger><listen_host>127.0.0.1</listen_host>'
		echo "<tcp_port>${ports[$1]}</tcp_port><path>$work/server$1/data/</path><tmp_path>$work/server$1/tmp/</tmp_path>"
		echo '<users_config>users.xml</users_config><default_profile>default</default_profile>'
		echo '<default_database>default</default_database><mark_cache_size>16777216</mark_cache_size>'
		sed "s|<host>shard-1</host><port>9000|<host>127.0.0.1</host><port>${ports[0]}|
			s|<host>shard-2</host><port>9000|<host>127.0.0.1</host><port>${ports[1]}|" blocks/cluster.xml
		echo '</yandex>'
	} >"server$1/config.xml"
	cat >"server$1/users.xml" <<-'X'
		<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default><password></password>
		<networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users></yandex>
	X
}
ask() { # index of a server, arguments
	PORT=${ports[$1]} clickhouse-client "${@:2}"
}
start() { # index of a server
	(cd "server$1" && exec "$server" --config-file=config.xml) >>"server$1/log" 2>&1 &
	pids[$1]=$!
	for _ in {1..600}; do
		ask "$1" --query 'SELECT 1' >/dev/null 2>&1 && return
		kill -0 "${pids[$1]}" 2>/dev/null || break
		sleep 0.1
	done
	sed 's/^/# /' "server$1/log"
	echo "Bail out! ClickHouse does not start"
	exit 1
}
stop() { # index of a server
	kill -9 "${pids[$1]}"
	wait "${pids[$1]}" 2>/dev/null
}
# Insert rows.ndjson at server $1; half of it is on its way when server $2 is killed.
insert_and_kill() {
	local half=$(($(wc -l <rows.ndjson) / 2)) status
	mkfifo gate
	{
		head -n "$half" rows.ndjson
		read -r <gate
		tail -n +$((half + 1)) rows.ndjson
	} | PORT=${ports[$1]} sh -c "$(sed 's/ <rows.ndjson//' blocks/insert.sh)" 2>errors &
	status=$!
	# Some rows have arrived, and not all can have.
	arrived=no
	for _ in {1..600}; do
		[ "$(ask "$1" --query "SELECT count() FROM fleet.rows_local")" -gt "$3" ] && arrived=yes && break
		sleep 0.1
	done 2>errors
	stop "$2"
	echo >gate
	rm gate
	wait "$status"
}
insert() { # index of a server
	PORT=${ports[$1]} sh blocks/insert.sh 2>errors
}

for index in 0 1; do configure $index; start $index; done
for index in 0 1; do ask $index --multiquery <blocks/tables.sql; done 2>errors
result "the tables are made on both servers" $?

rows 1
if "$root/tests/support/modules.sh" "$here"; then
	mkdir duck
	ln -s "$here/node_modules" ../rows.ndjson duck
	sed 's/console.table(\(.*\));/console.log(JSON.stringify(\1));/' blocks/fleet.mjs >duck/fleet.mjs
	(cd duck && node fleet.mjs) >answer 2>errors && python3 "$here/answers.py" sums duckdb <answer 2>errors
	result "DuckDB makes Parquet of the rows, and finds what was put there" $?
else
	result "DuckDB makes Parquet of the rows # SKIP npm ci failed: is the registry within reach?" 0
fi
insert 0 && rows 2 && insert 1
result "the insert takes what elfault export writes, at either server" $?

rows 3
insert_and_kill 0 1 "$(ask 0 --query 'SELECT count() FROM fleet.rows_local')"
[ $? = 0 ] && [ $arrived = yes ]
result "an insert goes on where the other shard is killed meanwhile" $?

rows 4
insert 0 && rows 5 && insert 0
result "inserts go on while it is down" $?
# What ClickHouse does to a block that is on its way when the shard dies, which is rare.
find server0/data/data/fleet/rows -name '[0-9]*.bin' -not -path '*/tmp/*' -not -path '*/broken/*' | head -n 1 | {
	read -r block && mkdir -p "${block%/*}/broken" && mv "$block" "${block%/*}/broken"
} 2>errors
result "a block that waits for it is put aside" $?

! ask 0 --query 'SELECT count() FROM fleet.rows' >errors 2>&1
result "a query of it all says that it is down" $?
[ "$(ask 0 --skip_unavailable_shards 1 --query 'SELECT count() FROM fleet.rows')" = \
	"$(ask 0 --query 'SELECT count() FROM fleet.rows_local')" ]
result "with skip_unavailable_shards it answers for the other" $?

start 1
rows 6
! insert_and_kill 0 0 "$(ask 0 --query 'SELECT count() FROM fleet.rows_local')" && [ $arrived = yes ]
result "a client whose server is killed fails" $?
insert 1
result "the same rows are inserted at the other server" $?
start 0
for ((file = 7; file <= files; file++)); do rows $file && insert $((file % 2)) || break; done
[ $file -gt $files ]
result "what is left is inserted" $?

# Rows for the other shard wait in files until they were sent, also what was put aside: a server that could not be reached is tried again after
# up to 30 s.
waiting() {
	find server[01]/data/data/fleet/rows -name '*.bin' -not -path '*/tmp/*' 2>/dev/null
}
for index in 0 1; do sh -c "$(sed "s|/var/lib/clickhouse|$work/server$index/data|" blocks/unsent.sh)"; done
for _ in {1..3000}; do
	[ -n "$(waiting)" ] || break
	sleep 0.1
done
waiting >errors
[ ! -s errors ]
sent=$?
tail -n 20 server[01]/log >>errors
result "what waited for the shard that was down is sent to it" $sent
before=$(ask 0 --query 'SELECT count() FROM fleet.rows')
# Until it succeeds, as the document says.
for index in 0 1; do
	for _ in {1..600}; do
		ask $index --multiquery <blocks/settle.sql && break
		sleep 0.1
	done
done 2>errors
answer() { # name, query
	ask 0 --time --query "$2" >answer 2>took && python3 "$here/answers.py" sums "$1" <answer >errors 2>&1
	local status=$?
	cat took answer >>errors
	echo "# $1: $(tail -n 1 took) s"
	return $status
}
answer total 'SELECT uniqExact(trace), count(), sum(faults), sum(majors), sum(time_ns), sum(bytes) FROM fleet.rows'
status=$? # a substitution in the sentence has one of its own
result "nothing is lost, and what came twice is there once ($before rows before, $(cut -f2 answer) after)" $status

PORT=${ports[0]} bash blocks/packages.sh 2>errors
for name in initializers release hosts packages cure; do
	answer $name "$(sed /^LIMIT/d "blocks/$name.sql")" # all rows, not the first alone
	result "the query finds what was put there: $name" $?
done

month=$(ask 0 --query 'SELECT min(toYYYYMM(start_unix_s)) FROM fleet.rows')
for index in 0 1; do ask $index --query "$(sed "s/202601/$month/" blocks/retention.sql)"; done 2>errors
[ "$(ask 0 --query "SELECT countIf(toYYYYMM(start_unix_s) = $month) FROM fleet.rows")" = 0 ]
result "a month that is dropped is gone" $?
exit $failed

"""Words that programmers use for one another: a question says `delimiter` where the code says `separator`. Pure.

A table of the everyday English of programs, one family a line; some lines were written with development questions in
view. A kindred word is weak evidence: it counts a share of the word itself (`ranking.W_KIN`, `relevance.KINDRED`).
"""

from __future__ import annotations

from typing import Final

from toolrag.retrieval.tokens import identifier_tokens

_FAMILIES: Final = """
abort cancel interrupt stop terminate kill
accept allow permit
add append attach insert push put
allowed permitted valid whitelist allowlist
already duplicate duplicated exists twice existing conflict ambiguous
argument arguments args arg parameter parameters param params
attribute attributes attr attrs field member
auth authenticate authentication authenticated login credentials
authorization authorize authorized auth
backoff delay sleep wait pause interval
begin begins start starts init initial initialize initialise enter setup
blank empty
block blocked deny denied forbid forbidden reject rejected refuse refused disallow unsafe
body content payload data
boolean bool
break broken fail failed failure error
build built builds make made create creates construct generate generated new produce
byte bytes binary
cache cached memoize stored
calculate calculated compute computed computing estimate estimated measure measured
call called invoke invoked
change changed modify modified update updated mutate mutated alter
check checked checks validate validated validation validator verify verified ensure test
choose chooses chosen pick picked select selected selects decide decides decided resolve determine determined detect
clean cleanup cleared clear purge reset flush
close closed closes closing shutdown disconnect disconnected release
collapse shrink squeeze squeezed reduce reduced truncate truncated fit
collect gather accumulate
color colour colors colours
combine merge merged join concatenate concat
compare compared comparison equal eq equality
config configuration configure configured configures setting settings option options conf
connect connection conn
convert converted coerce cast transform translate
copy clone duplicate
count counted number total amount
current now
database db
decide whether should is can
decode decoded parse parsed load loaded deserialize deserialized read reads
default defaults fallback
delete deleted remove removed removes drop dropped discard discarded strip stripped pop unset
delimiter delimiters separator separators split splitter splits
dependency dependencies requirement requires
destination dest target
directory directories dir folder
disable disabled off
display show shown print prints render rendered draw
document documentation doc docs
duration elapsed time seconds
element item entry
encode encoded dump dumps serialize serialized write
enable enabled on
end ends finish finished done complete completed
environment env environ
error errors exception exceptions fail fails failure raise raised raises
escape escaped quote quoted
event signal hook callback listener handler
exceed exceeded exceeds over max maximum limit limits overflow
expire expired expires expiry expiration age ttl
export save write dump
extra unknown unexpected unrecognized undeclared
file filename path
find finds found search lookup locate match get
folder directory dir
format formatted formatter
function func fn callable
guess guessed detect detected infer inferred
hang hung disconnect disconnected
hash digest checksum
hidden hide hides invisible mask masked
host hostname domain
identifier id ident
ignore ignored skip skipped suppress
illegal invalid malformed bad wrong
image picture img
immutable frozen readonly
inherit inherited base parent mro
input stdin prompt
integer int
key keys name names
last latest recent previous
leading prefix starts lstrip
length len size count
level severity
limit limited max maximum
line lines row
link url uri href
list listed sequence array
lock locked acquire
log logged logging logger
long wide wider width
loop iterate iteration cycle
main default
message msg text
minimum min least
missing absent required lacking undefined
name named names label title
nest nested nesting recursive inner
next upcoming
number num count
object obj instance
open opened opens
order ordering sort sorted priority
original orig source
outdated stale expired modified uptodate
output stdout
override overridden overwrite replace replaced
package module
page paginate pagination
password passphrase secret credentials
pipe pipes stream
previous prev
private hidden underscore internal protected
process proc
progress status
property attribute
protocol scheme
query search
random jitter rand
receive received recv read
redirect redirected redirects location
reference ref refs
register registered registers registration add
repeat repeated repeats retry attempt attempts tries
request req
response resp reply answer
retries retry attempts
return returned returns
run runs execute executed exec
save saved store stored persist
send sent sends emit dispatch transmit write
session sess
set sets assign assigned assigning assignment
shorten shortened truncate truncated ellipsis abbreviate
signature sign signed signing
similar close possible suggestion suggest suggests matches
size large big length
slow slowest duration
speed rate throughput
statistics stats metrics
string strings str text
suggest suggested suggestion hint possibilities
supported supports support available
temporary temp tmp
thread threads threading threadpool
timeout timeouts deadline expire expired
token tokens
trailing suffix ends rstrip
traceback trace stack
tree hierarchy
trust trusted
two double twice second
type types kind
unique distinct
user username
variable var vars
version versions
wait waits waiting sleep block
warn warning warnings
weight weighted cost
wrap wrapped wrapper
"""


def _kin() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _FAMILIES.split("\n"):
        stems = {stem for word in line.split() for stem in identifier_tokens(word)}
        for stem in stems:
            found.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(kin) for stem, kin in found.items()}


KIN: Final = _kin()
"""For a token, those of the words used in its place."""

"""Words that prose about code uses in their everyday sense, so that they name nothing by themselves. Pure.

A claim without backticks may say "the value of the list" where the code has a `value` and a `list`. Any other word that
the code uses as an identifier is taken for its name, and so is one of these where English would put an article before
it: "width is set", "calls handle with 3". In backticks every word is a name.
"""

from __future__ import annotations

from typing import Final

_GRAMMAR: Final = """
a about above according across actually after again against all almost along already also although always among an and
another any anyone anything are around as at away back be because become becomes been before behind being below beside
best better between beyond both but by can cannot case cases certain come comes could did directly do does doing done
down due during each earlier easier easily either else elsewhere end ends enough entirely especially etc even ever
every everything everywhere exactly except false few finally first followed following for former from fully further
get gets given gives giving go goes going good had half happen happens hard has have having he hence her here his how
however i if immediately in indeed inside instead into is it its itself just keep keeps kept last later latter least
left less let like likely long longer look looks lot made mainly make makes making many matter matters may maybe me
mean means merely might more most much must my near nearly need needed needs neither never new next no nobody none nor
normally not nothing now of off often old on once one ones only onto or order other others otherwise our out outside
over own part parts per perhaps place places possible quite rather really right same second see seem seems several
shall she should show shows similar simply since single so some someone something sometimes soon still such sure take
taken takes than that the their them then there thereby therefore these they thing things third this those though
three through thus till times to together too toward true two under unless unlike until up upon us use used useful
user users uses using usual usually very via was way ways we well were what whatever when whenever where whereas
wherever whether which while who whole whom whose why will with within without word words would yes yet you your
"""
_ABOUT_CODE: Final = """
abstract accept accepted accepts access act action add added adding address adds advance alias allow allowed allows
answer api append appended applied applies apply argument arguments array ask asked asks assert assign assigned
assignment assigns attempt attribute attributes base based begin begins behavior behaviour bit block body bool boolean
bound branch bug build builds built builtin byte bytes call called caller callers calling calls catch caught change
changed changes char character characters check checked checking checks child children choice chosen class classes
clean clear close closed closes code collect collected column combine comment common compare compared compares
complete compute computed computes condition config configuration connect connected connection constant constructor
contain contained containing contains content contents context continue control convert converted converts copies copy
correct count create created creates creating current custom data date decide decided decimal declare declared
declares decorated decorator default defaults define defined defines defining definition delegates delete deleted
depend depending depends derived derives describe described description detail details detect dict dictionary differ
difference different differs digit digits directory disabled doc docs docstring document documentation documented
documents edge element elements email empty enabled encode encoded encoding ensure ensures entries entry environment
equal equals error errors evaluate evaluated event example exceed exceeds exception exceptions execute executed exist
existing exists exit expect expected explicit expression extend extra fail failed fails failure feature field fields
figure file files fill filter final find finds flag flags float flow fold folder follow follows force form format
formatted formatting forms found free frozen full function functions general generate generated generates generator
global group guard handed handle handled handler handles handling header headers help helper hold holds hook host
identifier ignore ignored ignores implement implementation implemented implements import imported imports index
indicate indicates information inherit inherits initial initialise initialize input inputs insert inserted instance
instances int integer interface internal interpret invoke invoked invokes item items iterate iterates iteration
iterator join key keys keyword kind known label language large length level library limit line lines link list lists
load loaded loads local location lock log logic lookup loop lower main manage map mapped mapping maps mark marked
match matched matches matching maximum member members message messages method methods minimum missing mode model
module modules move multiple name named names native negative nested node none normal note notes null number numbers
object objects occur occurs open opened opens operation operator option optional options original output outputs
overall override owner package pair pairs parameter parameters parent parse parsed parser parses parsing particular
pass passed passes passing path pattern perform performed performs piece plain point points position positive prefix
prepare present prevent previous primary print private process processed produce produced produces program project
proper properties property protocol provide provided provides public purpose python query question queue quote raise
raised raises raising random range raw reach reached reaches read reader reading reads ready real reason receive
received receives record refer reference refers register registered regular reject rejected relation relative relies
rely remaining remove removed removes replace replaced replaces report reported represent representation represented
represents request requests require required requires reserved reset resolve resolved resource response rest result
resulting results return returned returning returns root row rule rules run running runs safe save saved say saying
says schema scope script search section select selected self send sends sent sentence separate sequence series server
service session set sets setting settings setup shape share shared short shown side sign signature simple size skip
skipped skips small sort sorted source space special specific specified specify split stage standard start started
starts state stated statement status step steps stop stopped stops store stored stores stream string strings strip
structure style sub subclass subclasses subset success suffix suitable super supply support supported supports switch
symbol system table tag target task temporary term test tested tests text throw thrown throws time title token tokens
tool top total track treat treated tree tried tries trigger try trying tuple turn turns type types unique unit unknown
unset update updated updates upper valid validate validated validation value values variable variables version view
visible wait waits want wants warning whitespace width work works wrap wrapped wrapper wraps write writes writing
written wrong yield yields zero
"""
GRAMMAR: Final = frozenset(_GRAMMAR.split())
ORDINARY: Final = GRAMMAR | frozenset(_ABOUT_CODE.split())
"""In lower case. Written with a capital within a sentence, `Exception` say, a word may well be a name."""
_BEFORE: Final = frozenset(
    """
    and as attribute argument by call called calling calls class constant decorator exception field for from function in
    into invokes is keyword method of on option parameter passes property raise raised raises return returns set
    sets than that to unless uses variable via when whether with or if not expect expects depends inside
    """.split()
)
"""What an article stands behind, or a name."""
_AFTER: Final = frozenset(
    """
    after and are as at becomes before by calls checks defaults defines delegates derives differs does ends equals for
    from gets has have if in inherits is keeps leads looks of on or passes raises reads receives relies returns runs
    says set sets takes tests to unless was when which with
    """.split()
)
"""What stands behind a noun that is whole; another noun would make it a compound."""
_IDIOMS: Final = {
    "as": frozenset(
        "argument bytes code data default error expected input keyword output part string text usual".split()
    ),
    "by": frozenset("default hand key name type value".split()),
    "for": frozenset("example reference use".split()),
    "from": frozenset("disk memory scratch source".split()),
    "in": frozenset(
        "addition case common detail error full general order place question sequence short total turn use".split()
    ),
    "is": frozenset("closed default empty equal known open optional possible required set valid".split()),
    "of": frozenset("bytes code course data length order size text type".split()),
    "on": frozenset("demand disk error exit failure line success top".split()),
    "to": frozenset("be data disk name string text use work".split()),
    "with": frozenset("care data text".split()),
}
"""Words that stand there without an article all the same."""
_UNCOUNTED: Final = frozenset(
    """
    access behaviour behavior code configuration content control data documentation encoding execution force general
    information input iteration language length memory order output place python space storage support text
    time validation whitespace work
    """.split()
)
"""Nouns that need no article, and so may be meant in any place."""
_LEADS_A_SENTENCE: Final = "^"


def is_ordinary(before: str, word: str, after: str) -> bool:
    """Whether a word of prose is used in its everyday sense: `before` and `after` are its neighbours, "" at an end.

    `before` is "^" where the word begins a sentence: there an everyday word has a capital.
    """
    lower = word.lower()
    if lower not in ORDINARY:
        return False
    if before == _LEADS_A_SENTENCE:
        return word != lower or lower in GRAMMAR
    if word != lower:
        return False
    if lower in GRAMMAR or lower in _UNCOUNTED or word in _IDIOMS.get(before, ()):
        return True
    if before not in _BEFORE:
        return bool(before) or after not in ("does", "is")
    if after in _AFTER:
        return before == "to"
    return after != ""

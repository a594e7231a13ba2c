/* N philosophers eat R times each, and take the lower fork first. */
#include "joined.pml"

bit fork[N];
byte eaten[N], ended;

proctype philosopher(byte me; byte first; byte second) {
    byte i, seen;
    do
#ifdef JOINED
    :: d_step { i < R && !fork[first] -> fork[first] = 1 } ;
#else
    :: i < R -> atomic { !fork[first] -> fork[first] = 1 } ;
#endif
       atomic { !fork[second] -> fork[second] = 1 } ;
       seen = eaten[me] ;
       JOIN { eaten[me] = seen + 1; seen = 0; i = i + 1 } ;
       fork[second] = 0 ;
       fork[first] = 0
    :: JOIN { i == R -> ended = ended + 1 } ; break
    od
}

active proctype final() {
    byte each;
    ended == N ->
    do
    :: each < N -> assert(eaten[each] == R); each = each + 1
    :: else -> break
    od
}

init {
    byte me;
    atomic {
        do
        :: me < N - 1 -> run philosopher(me, me, me + 1); me = me + 1
        :: else -> break
        od ;
        run philosopher(N - 1, 0, N - 1)
    }
}

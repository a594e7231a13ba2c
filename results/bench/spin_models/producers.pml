/* N producers put R numbers each into a queue of two places, one adds up what comes. */
#include "joined.pml"

chan queue = [2] of { byte };
byte ended, sum;

proctype producer(byte me) {
    byte i;
    do
#ifdef JOINED
    :: d_step { i < R && nfull(queue) -> queue!(me * R + i); i = i + 1 }
#else
    :: i < R -> queue!(me * R + i) ; i = i + 1
#endif
    :: JOIN { i == R -> ended = ended + 1 } ; break
    od
}

active proctype consumer() {
    byte i, item;
    do
#ifdef JOINED
    :: d_step { i < N * R && nempty(queue) -> queue?item; sum = sum + item; item = 0; i = i + 1 }
#else
    :: i < N * R -> queue?item ; sum = sum + item ; item = 0 ; i = i + 1
#endif
    :: JOIN { i == N * R -> ended = ended + 1 } ; break
    od
}

active proctype final() { ended == N + 1 -> assert(sum == (N * R) * (N * R - 1) / 2) }

init {
    byte me;
    atomic {
        do
        :: me < N -> run producer(me); me = me + 1
        :: else -> break
        od
    }
}

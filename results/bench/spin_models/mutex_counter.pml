/* N threads take a mutex R times each, and load and store. */
#include "joined.pml"

byte count, ended;
bit taken;

active [N] proctype thread() {
    byte i, seen;
    do
#ifdef JOINED
    :: d_step { i < R && !taken -> taken = 1 } ;
#else
    :: i < R -> atomic { !taken -> taken = 1 } ;
#endif
       seen = count ;
       JOIN { count = seen + 1; seen = 0; i = i + 1 } ;
       taken = 0
    :: JOIN { i == R -> ended = ended + 1 } ; break
    od
}

active proctype final() { ended == N -> assert(count == N * R) }

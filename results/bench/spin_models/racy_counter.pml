/* N threads load and store R times each. */
#include "joined.pml"

byte count, ended;

active [N] proctype thread() {
    byte i, seen;
    do
    :: JOIN { i < R -> seen = count } ;
       JOIN { count = seen + 1; seen = 0; i = i + 1 }
    :: JOIN { i == R -> ended = ended + 1 } ; break
    od
}

active proctype final() { ended == N -> assert(1 <= count && count <= N * R) }

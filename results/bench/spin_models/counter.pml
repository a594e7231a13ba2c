/* N threads add R times each, atomically. */
#include "joined.pml"

byte count, ended;

active [N] proctype thread() {
    byte i;
    do
    :: JOIN { i < R -> count = count + 1; i = i + 1 }
    :: JOIN { i == R -> ended = ended + 1 } ; break
    od
}

active proctype final() { ended == N -> assert(count == N * R) }

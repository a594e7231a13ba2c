#include "shared.h"

static atomic_int flag[2], turn;

static void *thread(void *argument)
{
    int i = ARGUMENT;
    STORE(flag[i], 1);
    STORE(turn, 1 - i);
    if (LOAD(flag[1 - i]) != 0)
        ASSUME(LOAD(turn) != 1 - i);
    critical_section(i);
    STORE(flag[i], 0);
    return 0;
}

int main(void)
{
    run(thread, 2);
    return 0;
}

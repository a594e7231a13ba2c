#include "shared.h"

static atomic_int x, y;

static void *thread(void *argument)
{
    int i = ARGUMENT;
    if (i > 0)
        ADD(y, 1);
    if (i == 0 || i == N)
        ADD(x, 1);
    return 0;
}

int main(void)
{
    run(thread, N + 1);
    return 0;
}

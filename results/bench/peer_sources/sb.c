#include "shared.h"

static atomic_int x[N];
static int saw[N];

static void *thread(void *argument)
{
    int i = ARGUMENT;
    STORE(x[i], 1);
    saw[i] = LOAD(x[(i + 1) % N]);
    return 0;
}

int main(void)
{
    run(thread, N);
    int somebody = 0;
    for (int i = 0; i < N; i++)
        somebody |= saw[i];
    CHECKED(somebody);
    return 0;
}

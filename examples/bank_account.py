"""A bank account: an update is lost unless every thread that changes the balance takes the lock."""

import mcr


class Account:
    def __init__(self, p, balance):
        self.balance, self.mutex = p.var("balance", balance), p.mutex("mutex")

    def add(self, amount):
        self.balance.store(self.balance.load() + amount)

    def add_locked(self, amount):
        with self.mutex:
            self.add(amount)

    def withdraw_in_two_steps(self, amount):
        with self.mutex:
            enough = self.balance.load() >= amount
        if enough:
            self.add_locked(-amount)

    def withdraw(self, amount):
        with self.mutex:
            if self.balance.load() >= amount:
                self.add(-amount)


def deposit_and_withdraw(p, n, account, deposit):
    """n deposits and n withdrawals of 50, the withdrawals under the lock."""
    for _ in range(n):
        p.thread(deposit, 50)
        p.thread(account.add_locked, -50)

    @p.final
    def no_update_is_lost():
        assert account.balance.load() == 100, "an update of the balance was lost"


@mcr.program
def lost_update(p, n=1):
    """Deposits forget the lock, and may overwrite a withdrawal.

    Fails under: SC, TSO, PSO
    """
    account = Account(p, 100)
    deposit_and_withdraw(p, n, account, account.add)


@mcr.program
def lost_update_locked(p, n=1):
    """Deposits take the lock too.

    Fails under: nothing
    """
    account = Account(p, 100)
    deposit_and_withdraw(p, n, account, account.add_locked)


def overdraw(p, account, withdraw):
    """Two customers withdraw amounts of their choice."""

    def customer():
        withdraw(p.choose(20, 60))

    p.thread(customer)
    p.thread(customer)

    @p.final
    def not_overdrawn():
        assert account.balance.load() >= 0, "the account is overdrawn"


@mcr.program
def overdraft(p):
    """Every access holds the lock, but the check and the withdrawal are two critical sections.

    Fails under: SC, TSO, PSO
    """
    account = Account(p, 100)
    overdraw(p, account, account.withdraw_in_two_steps)


@mcr.program
def overdraft_atomic(p):
    """The check and the withdrawal are one critical section.

    Fails under: nothing
    """
    account = Account(p, 100)
    overdraw(p, account, account.withdraw)

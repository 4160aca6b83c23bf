package model

import (
	"context"
	"sync"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// fakeMoneyReserver is a Reserver that keeps its money in memory.
type fakeMoneyReserver struct {
	mu       sync.Mutex
	left     int64
	last     int64
	open     map[int64]int64 // amount of each open lease, by the lease's ID
	bids     []modelcall.CostEstimate
	returned int
	waits    bool // whether a question about money is open
}

func newFakeReserver(money int64) *fakeMoneyReserver {
	return &fakeMoneyReserver{left: money, open: map[int64]int64{}}
}

func (p *fakeMoneyReserver) Reserve(_ context.Context, b modelcall.CostEstimate) (supervisor.Lease, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bids = append(p.bids, b)
	if p.waits {
		return supervisor.Lease{}, supervisor.ErrWaitsForAnswer
	}
	least := b.MinCost
	if b.Repeats {
		least = b.MaxCost
	}
	if !b.Priced || least > p.left {
		err := failed(modelcall.OverBudget)
		err.Err.Message = "There is no money for " + b.Spec + "."
		return supervisor.Lease{}, err
	}
	if b.MaxCost == 0 {
		return supervisor.Lease{}, nil
	}
	p.last++
	l := supervisor.Lease{ID: p.last, Amount: min(b.MaxCost, p.left)}
	p.left -= l.Amount
	p.open[l.ID] = l.Amount
	return l, nil
}

func (p *fakeMoneyReserver) ReturnLease(_ context.Context, lease int64) {
	p.settle(lease, 0)
	p.returned++
}

// settle ends a lease with the real cost of its call. It panics if the lease is not open.
func (p *fakeMoneyReserver) settle(lease, cost int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held, open := p.open[lease]
	if !open {
		panic("a lease that is not open")
	}
	delete(p.open, lease)
	p.left += held - cost
}

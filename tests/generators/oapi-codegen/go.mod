module read_loan

go 1.23

require example.com/loanservicing v0.0.0

replace example.com/loanservicing => ./client

// The requirements are in the files v0.NN.mod, for the option -modfile of the go command.
module conformance

go 1.24.0

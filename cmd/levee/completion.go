package main

import (
	"fmt"
	"os"
	"path/filepath"
)

type completionCmd struct {
	Shell string `arg:"" optional:"" enum:"bash,zsh,fish," default:"" help:"bash, zsh or fish. Default: the one in the variable SHELL."`
}

// completions is what the shells are told: to run levee, which finds the line so far in its environment.
var completions = map[string]string{
	"bash": `# Put this into ~/.bashrc:  source <(levee completion bash)
complete -o default -C levee levee
`,
	"zsh": `# Put this into ~/.zshrc:  source <(levee completion zsh)
autoload -U +X bashcompinit && bashcompinit
complete -o default -C levee levee
`,
	"fish": `# Put this into ~/.config/fish/config.fish:  levee completion fish | source
function __complete_levee
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    levee
end
complete -f -c levee -a "(__complete_levee)"
`,
}

func (c completionCmd) Run(o output) error {
	shell := c.Shell
	if shell == "" {
		shell = filepath.Base(os.Getenv("SHELL"))
	}
	text, ok := completions[shell]
	if !ok {
		return fmt.Errorf("the variable SHELL names no shell that can complete: give bash, zsh or fish")
	}
	_, err := fmt.Fprint(o.out, text)
	return err
}

import {Cli} from "clipanion"
import {commands, loadCommand} from "../../../cli/commands.ts"
import {commandHelp, define} from "../../../cli/kit/help.ts"

/** Prints the `--help` of every command as JSON, by name. One process for all saves starting one for each. */
const helps = Object.keys(commands).map(async name => {
  const cli = new Cli({binaryName: "svc"})
  const command = await loadCommand(name)
  cli.register(command)
  return [name, `${commandHelp(define(cli, command), text => text)}\n`] as const
})
process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(helps))))

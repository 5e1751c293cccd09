import {Cli, type CommandClass} from "clipanion"
import {commands} from "../../../cli/commands.ts"
import {commandHelp, define} from "../../../cli/kit/help.ts"

/** Prints the `--help` of every command as JSON, by name. One process for all saves starting one for each. */
const helps = Object.entries(commands).map(async ([name, load]) => {
  const cli = new Cli({binaryName: "svc"})
  const [command] = Object.values(await load()) as CommandClass[]
  if (command === undefined) throw new Error(`there is no command ${name}`)
  cli.register(command)
  return [name, `${commandHelp(define(cli, command), text => text)}\n`] as const
})
process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(helps))))

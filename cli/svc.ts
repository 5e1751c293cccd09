import {type BaseContext, Cli, type CommandClass} from "clipanion"
import {version} from "../server/version.ts"
import {exit} from "../shared/exit.ts"
import {commands} from "./commands.ts"

/** Runs one command line and ends the process with its exit code. */
const main = async (args: readonly string[]): Promise<void> => {
  const code = await run(args)
  // A process that has nothing left to do may still hold the driver's threads.
  process.exit(code)
}

const run = async (args: readonly string[]): Promise<number> => {
  const {stdin, stdout, stderr, env} = process
  const colors = isColored()
  const cli = new Cli<BaseContext>({
    binaryLabel: "svc",
    binaryName: "svc",
    binaryVersion: version,
    enableColors: colors,
  })
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
    stdout.write(`${version}\n`)
    return exit.ok
  }
  for (const name of namesFor(args)) cli.register(await load(name))
  const asksForHelp =
    args.length === 0 || (args.length === 1 && (args[0] === "--help" || args[0] === "-h" || args[0] === "help"))
  if (asksForHelp) {
    stdout.write(cli.usage(null, {colored: colors}))
    return args.length === 0 ? exit.failed : exit.ok
  }
  try {
    const command = cli.process([...args], {})
    return command.help
      ? help(cli, command.constructor as CommandClass)
      : await cli.run(command, {stdin, stdout, stderr, env})
  } catch (error) {
    stderr.write(`${cli.error(error as Error, {colored: colors}).replace(/^\n+|\n+$/g, "")}\n`)
    return exit.failed
  }
}

const help = (cli: Cli, command: CommandClass): number => {
  process.stdout.write(cli.usage(command, {detailed: true}))
  return exit.ok
}

const isColored = () =>
  process.stdout.isTTY === true && process.env.NO_COLOR === undefined && process.env.TERM !== "dumb"

/** The command that the words name; all where they name none, for help and suggestions. */
const namesFor = (args: readonly string[]): readonly string[] => {
  const words = args.filter(arg => !arg.startsWith("-"))
  const named = [words.slice(0, 2).join(" "), words[0] ?? ""].find(name => Object.hasOwn(commands, name))
  return named === undefined ? Object.keys(commands) : [named]
}

const load = async (name: string): Promise<CommandClass> => {
  const module = await commands[name]?.()
  const [command] = Object.values(module ?? {})
  return command as CommandClass
}

await main(process.argv.slice(2))

import {type BaseContext, Cli} from "clipanion"
import {endProcess} from "../server/runtime/process/unasked-exit.ts"
import {version} from "../server/runtime/version.ts"
import {exit} from "../shared/exit.ts"
import {commands, loadCommand} from "./commands.ts"
import {marked, unmarked} from "./kit/minus.ts"
import {unknownCommand, wrongCall} from "./kit/usage-error.ts"

/** Runs one command line and ends the process with its exit code. */
const main = async (args: readonly string[]): Promise<void> => {
  // A reader that closes the output early is no error.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  const code = await run(args)
  await Promise.all([process.stdout, process.stderr].map(flushed))
  // The threads of the database driver would keep an idle process alive.
  endProcess(code)
}

/** Ends a stream. Resolves once all output has left the process, so that a slow reader of a pipe gets everything. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> => new Promise(resolve => stream.end(() => resolve()))

const run = async (args: readonly string[]): Promise<number> => {
  const {stdin, stdout, stderr, env} = process
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
    stdout.write(`${version}\n`)
    return exit.ok
  }
  if (args[0] === "--completion") return complete(args[1])
  if (args[0] === "help") return run([...args.slice(1), "--help"])
  const words = args.filter(arg => !arg.startsWith("-"))
  const asksForHelp = args.includes("--help") || args.includes("-h")
  const name = nameFor(words)
  if (name === undefined) return noCommand(words, asksForHelp)
  const command = await loadCommand(name)
  const cli = new Cli<BaseContext>({binaryName: "svc", enableColors: isColored()})
  cli.register(command)
  if (asksForHelp) {
    const {commandHelp, define} = await help()
    stdout.write(`${commandHelp(define(cli, command), bold)}\n`)
    return exit.ok
  }
  try {
    const given = cli.process(args.map(marked), {})
    for (const [key, value] of Object.entries(given)) Reflect.set(given, key, unmarked(value))
    return await cli.run(given, {stdin, stdout, stderr, env})
  } catch (error) {
    const {define} = await help()
    stderr.write(`${wrongCall(error, name, args, define(cli, command))}\n`)
    return exit.failed
  }
}

const complete = async (shell = ""): Promise<number> => {
  const {completionOf} = await import("./kit/completion.ts")
  const text = completionOf(shell)
  if (text === undefined) process.stderr.write("svc: --completion is followed by bash, zsh or fish\n")
  else process.stdout.write(text)
  return text === undefined ? exit.failed : exit.ok
}

/** Prints help for all commands or for one group; reports any other words as an unknown command. */
const noCommand = async (words: readonly string[], asksForHelp: boolean): Promise<number> => {
  const names = Object.keys(commands)
  const [group] = words
  const listed = group === undefined ? names : names.filter(name => name.startsWith(`${group} `))
  if (listed.length === 0 || words.length > 1) {
    process.stderr.write(`${unknownCommand(words, names)}\n`)
    return exit.failed
  }
  const {overview} = await help()
  const text = `${bold(`svc ${version}`)}\n\n${overview(await Promise.all(listed.map(loadCommand)))}\n`
  if (asksForHelp) process.stdout.write(text)
  else process.stderr.write(text)
  return asksForHelp ? exit.ok : exit.failed
}

/** Loads the help on demand: it counts columns, and preparing for that takes 30 ms on Node. */
const help = () => import("./kit/help.ts")

const isColored = () =>
  process.stdout.isTTY === true && process.env.NO_COLOR === undefined && process.env.TERM !== "dumb"

const bold = (text: string) => (isColored() ? `\x1b[1m${text}\x1b[22m` : text)

/** Returns the command that the words start with. */
const nameFor = (words: readonly string[]): string | undefined =>
  [words.slice(0, 2).join(" "), words[0] ?? ""].find(name => Object.hasOwn(commands, name))

await main(process.argv.slice(2))

import {spawn} from "node:child_process"
import {cleanEnvironment, type Finished, type SpawnOptions} from "../../support/host/process.ts"

/** Runs a program to its end, in a hook or in a test. Kills it after `timeout` milliseconds. */
export const run = (
  [program = "", ...args]: readonly string[],
  {cwd, env, input, limit = 240_000}: SpawnOptions & {readonly limit?: number} = {},
): Promise<Finished> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env: cleanEnvironment(env),
      stdio: ["pipe", "pipe", "pipe"],
      timeout: limit,
      killSignal: "SIGKILL",
      ...(cwd === undefined ? {} : {cwd}),
    })
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on("data", chunk => stdout.push(chunk))
    child.stderr.on("data", chunk => stderr.push(chunk))
    child.stdin.on("error", () => {})
    child.stdin.end(input)
    child.on("error", reject)
    child.on("close", (code, signal) =>
      resolve({code, signal, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString()}),
    )
  })

/** Returns the output of a program. Throws if the program fails. */
export const output = async (command: readonly string[], options: Parameters<typeof run>[1] = {}): Promise<string> => {
  const {code, signal, stdout, stderr} = await run(command, options)
  if (code === 0) return stdout
  throw new Error(`${command.join(" ")}: ${code ?? signal}\n${stdout.slice(-3000)}\n${stderr.slice(-3000)}`)
}

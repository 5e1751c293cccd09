import {execFile} from "node:child_process"

export interface GitOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  /** The time limit, in milliseconds. */
  readonly limit?: number
}

/** Runs git on the folder's repository, whatever the environment. Resolves to its output. Rejects with its error. */
export const git = (
  folder: string,
  args: readonly string[],
  {environment = {}, input, limit = 60_000}: GitOptions = {},
): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = {PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/", GIT_OPTIONAL_LOCKS: "0", ...environment}
    const options = {cwd: folder, timeout: limit, maxBuffer: 64 * 1024 * 1024, env}
    const child = execFile("git", ["-C", folder, ...args], options, (error, stdout, stderr) =>
      error === null ? resolve(stdout.replace(/\n$/, "")) : reject(new Error(stderr.trim() || error.message)),
    )
    child.stdin?.on("error", () => {})
    child.stdin?.end(input ?? "")
  })

/** Resolves to whether git exits with 0, for commands that answer by their exit code. */
export const gitAgrees = async (folder: string, args: readonly string[]): Promise<boolean> =>
  (await git(folder, args).catch(() => undefined)) !== undefined

import {execFile} from "node:child_process"
import type {Manifest} from "../../shared/checkpoint.ts"
import {lockfiles} from "../generation/lockfile.ts"

/** What of a project's files goes into a checkpoint as it is, where it is there. */
export const projectFiles = ["svc.config.yml", "package.json", ...lockfiles] as const

const git = (project: string, args: readonly string[]): Promise<string | undefined> =>
  new Promise(resolve => {
    const options = {
      cwd: project,
      timeout: 10_000,
      env: {PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/", GIT_OPTIONAL_LOCKS: "0"},
    }
    execFile("git", ["-C", project, ...args], options, (error, stdout) =>
      resolve(error === null ? stdout.trim() : undefined),
    )
  })

/** The commit alone; null where it is not known. */
export const readCommit = async (project: string, environment: NodeJS.ProcessEnv): Promise<string | null> =>
  environment.SVC_COMMIT || ((await git(project, ["rev-parse", "--verify", "--quiet", "HEAD"])) ?? null)

/**
 * Which code a project's folder holds: what SVC_COMMIT and SVC_IMAGE say, as an image does that carries no git; else the
 * commit of its git work tree, and whether that is all there is.
 */
export const readCode = async (project: string, environment: NodeJS.ProcessEnv): Promise<Manifest["code"]> => {
  const image = environment.SVC_IMAGE || null
  const commit = await readCommit(project, environment)
  if (environment.SVC_COMMIT || commit === null) return {commit, clean: null, image}
  const changes = await git(project, ["status", "--porcelain", "--", "."])
  return {commit, clean: changes === undefined ? null : changes === "", image}
}

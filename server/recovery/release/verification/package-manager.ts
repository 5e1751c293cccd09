import {readFile} from "node:fs/promises"
import {join} from "node:path"
import {Problem} from "../../../../shared/problems.ts"
import {findLockfile} from "../../../generation/lockfile.ts"
import {readJsonIfExists} from "../../../runtime/files.ts"

/** How the dependencies of a project are installed just as its lockfile has them, and its scripts are run. */
export interface PackageManager {
  readonly lockfile: string
  /** Installs what the lockfile names, and fails where it does not fit package.json. */
  readonly install: readonly string[]
  /** Before the name of a script. */
  readonly run: readonly string[]
}

/** This one where it is Bun, so that what is tried is what runs. */
const bun = () => (process.versions.bun === undefined ? "bun" : process.execPath)

/** The package manager that wrote the project's lockfile. Throws `release_refused` where there is no lockfile. */
export const packageManagerOf = async (project: string): Promise<PackageManager> => {
  const lockfile = (await findLockfile(project))?.name
  switch (lockfile) {
    case "bun.lockb":
    case "bun.lock":
      return {lockfile, install: [bun(), "install", "--frozen-lockfile"], run: [bun(), "run"]}
    case "package-lock.json":
      return {lockfile, install: ["npm", "ci", "--no-audit", "--no-fund"], run: ["npm", "run"]}
    case "pnpm-lock.yaml":
      return {lockfile, install: ["pnpm", "install", "--frozen-lockfile"], run: ["pnpm", "run"]}
    case "yarn.lock": {
      // Yarn 2 and newer say so in the file, and have another word for it.
      const isModern = (await readFile(join(project, lockfile), "utf8")).includes("\n__metadata:")
      return {
        lockfile,
        install: ["yarn", "install", isModern ? "--immutable" : "--frozen-lockfile"],
        run: ["yarn", "run"],
      }
    }
    default:
      throw new Problem("release_refused", "there is no lockfile", {
        hint: "Install the dependencies, and commit the lockfile that it writes.",
      })
  }
}

/** How a person installs it. */
export const installCommand = ({lockfile, install: [program = "", ...args]}: PackageManager): string =>
  [lockfile.startsWith("bun.") ? "bun" : program, ...args].join(" ")

/** Does package.json have a script of this name? */
export const hasScript = async (project: string, name: string): Promise<boolean> => {
  const manifest = await readJsonIfExists(join(project, "package.json"))
  if (typeof manifest !== "object" || manifest === null || !("scripts" in manifest)) return false
  const {scripts} = manifest
  return typeof scripts === "object" && scripts !== null && Object.hasOwn(scripts, name)
}

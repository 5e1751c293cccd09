import {readFile} from "node:fs/promises"
import {join} from "node:path"
import {isObject} from "../../../../shared/json.ts"
import {Problem} from "../../../../shared/problems.ts"
import {readJsonIfExists} from "../../../runtime/files.ts"
import {findLockfile} from "../../../runtime/packages/lockfile.ts"

/** The commands that install exactly the lockfile's dependencies, and that run scripts. */
export interface PackageManager {
  readonly lockfile: string
  /** Installs the packages of the lockfile, and fails if that does not fit package.json. */
  readonly install: readonly string[]
  /** Repeats that where the packages already are, if \`install\` would first delete them. */
  readonly again?: readonly string[]
  /** The words before the name of a script. */
  readonly run: readonly string[]
}

/** Returns the Bun that runs svc, if it runs on Bun, so that the trial uses the same one. */
const bun = () => (process.versions.bun === undefined ? "bun" : process.execPath)

/** Resolves to the package manager of the project's lockfile. Throws `release_refused` if there is no lockfile. */
export const packageManagerOf = async (project: string): Promise<PackageManager> => {
  const lockfile = (await findLockfile(project))?.name
  switch (lockfile) {
    case "bun.lockb":
    case "bun.lock":
      return {lockfile, install: [bun(), "install", "--frozen-lockfile"], run: [bun(), "run"]}
    case "package-lock.json":
      return {
        lockfile,
        install: ["npm", "ci", "--no-audit", "--no-fund"],
        again: ["npm", "install", "--no-save", "--no-audit", "--no-fund"],
        run: ["npm", "run"],
      }
    case "pnpm-lock.yaml":
      return {lockfile, install: ["pnpm", "install", "--frozen-lockfile"], run: ["pnpm", "run"]}
    case "yarn.lock": {
      // Yarn 2 and newer have this mark in the file, and another name for the option.
      const isModern = (await readFile(join(project, lockfile), "utf8")).includes("\n__metadata:")
      return {
        lockfile,
        install: ["yarn", "install", isModern ? "--immutable" : "--frozen-lockfile"],
        run: ["yarn", "run"],
      }
    }
    default:
      throw new Problem("release_refused", "there is no lockfile", {
        hint: "Install the dependencies, and commit the lockfile that this writes.",
      })
  }
}

/** Returns the install command for a person. */
export const installCommand = ({lockfile, install: [program = "", ...args]}: PackageManager): string =>
  [lockfile.startsWith("bun.") ? "bun" : program, ...args].join(" ")

export const hasScript = async (project: string, name: string): Promise<boolean> => {
  const manifest = await readJsonIfExists(join(project, "package.json"))
  return isObject(manifest) && isObject(manifest.scripts) && Object.hasOwn(manifest.scripts, name)
}

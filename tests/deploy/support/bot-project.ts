import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {onBun, root} from "../../support/host/runtimes.ts"
import {registryEnvironment} from "../../support/machine/registry.ts"
import {output} from "./command.ts"

/** Returns a PATH in a scratch folder, with Node 22.12 as `node`, and `svc` for projects that have not installed it. */
export const pathWithNode22 = (scratch: string): string => {
  const folder = join(scratch, "bin")
  mkdirSync(folder)
  symlinkSync(`${root}node_modules/node22/bin/node`, join(folder, "node"))
  symlinkSync(`${root}cli/launch.js`, join(folder, "svc"))
  return `${folder}:${process.env.PATH}`
}

/** Writes npm's lockfile without installing, which takes npm long; the deployment installs from the lockfile. */
const npmLock = ["npm", "install", "--package-lock-only", "--no-audit", "--no-fund"]

/** Makes a project with `svc init`, its lockfile, and the token in the configuration. On Node it installs nothing. */
export const makeBotProject = async (
  scratch: string,
  name: string,
  runtime: "bun" | "node",
  path: string,
): Promise<string> => {
  const env = {...registryEnvironment, PATH: path}
  const folder = join(scratch, name)
  const init = [...onBun.command, "init", name, "--runtime", runtime]
  if (runtime === "bun") await output(init, {cwd: scratch, env})
  else {
    await output([...init, "--no-install"], {cwd: scratch, env})
    await output(npmLock, {cwd: folder, env})
  }
  const config = readFileSync(join(folder, "svc.config.yml"), "utf8")
  writeFileSync(join(folder, "svc.config.yml"), config.replace("# token: ${HTTP_TOKEN}", "token: ${HTTP_TOKEN}"))
  return folder
}

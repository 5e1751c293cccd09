import {mkdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {join} from "node:path"
import {registryEnvironment} from "../../support/registry.ts"
import {onBun, root} from "../../support/runtimes.ts"
import {output} from "./command.ts"

/** A PATH on which `node` is Node 22.12, made in a scratch folder. */
export const pathWithNode22 = (scratch: string): string => {
  const folder = join(scratch, "bin")
  mkdirSync(folder)
  symlinkSync(`${root}node_modules/node22/bin/node`, join(folder, "node"))
  return `${folder}:${process.env.PATH}`
}

/** Makes a project with `svc init`, as an operator has it before a deployment: with its lockfile, and the token in the configuration. */
export const makeBotProject = async (
  scratch: string,
  name: string,
  runtime: "bun" | "node",
  path: string,
): Promise<string> => {
  const env = {...registryEnvironment, PATH: path}
  await output([...onBun.command, "init", name, "--runtime", runtime], {cwd: scratch, env})
  const folder = join(scratch, name)
  const config = readFileSync(join(folder, "svc.config.yml"), "utf8")
  writeFileSync(join(folder, "svc.config.yml"), config.replace("# token: ${HTTP_TOKEN}", "token: ${HTTP_TOKEN}"))
  return folder
}

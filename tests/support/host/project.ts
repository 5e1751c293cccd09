import {cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {makeFolder} from "../machine/folders.ts"
import {root} from "./runtimes.ts"

export * from "../machine/folders.ts"

export interface ProjectOptions {
  /** YAML. */
  readonly config?: string
  /** The sources of `plugins/<name>.ts`, by name. */
  readonly plugins?: Readonly<Record<string, string>>
  readonly files?: Readonly<Record<string, string>>
}

export interface Project {
  readonly folder: string
  write(path: string, text: string | Uint8Array): void
  /** Returns a file's text; empty if it is missing. */
  read(path: string): string
  path(...parts: string[]): string
}

/** A free port, and the sandbox. */
export const plainConfig = `http:
  port: 0
plugins:
  sandbox: {}
`

const projectIn = (folder: string): Project => ({
  folder,
  write: (path, text) => {
    const target = join(folder, path)
    mkdirSync(dirname(target), {recursive: true})
    writeFileSync(target, text)
  },
  read: path => {
    const source = join(folder, path)
    return existsSync(source) ? readFileSync(source, "utf8") : ""
  },
  path: (...parts) => join(folder, ...parts),
})

/** A scratch project, removed when the test ends. */
export const makeProject = ({config = plainConfig, plugins = {}, files = {}}: ProjectOptions = {}): Project => {
  const project = projectIn(makeFolder())
  project.write("package.json", JSON.stringify({name: "scratch-bot", type: "module"}))
  project.write("svc.config.yml", config)
  for (const [name, source] of Object.entries(plugins)) project.write(`plugins/${name}.ts`, source)
  for (const [path, text] of Object.entries(files)) project.write(path, text)
  mkdirSync(project.path("node_modules"), {recursive: true})
  symlinkSync(root, project.path("node_modules/svc-runtime"))
  return project
}

/** A copy of a stopped project with its data, for a test that changes it. */
export const copyProject = ({folder}: Project): Project => {
  const copy = makeFolder()
  cpSync(folder, copy, {recursive: true, verbatimSymlinks: true})
  return projectIn(copy)
}

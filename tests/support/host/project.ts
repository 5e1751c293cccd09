import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import {freemem, tmpdir} from "node:os"
import {dirname, join} from "node:path"
import {root} from "./runtimes.ts"
import {whenOver} from "./shared.ts"

export interface ProjectOptions {
  /** YAML. */
  readonly config?: string
  /** The sources of `plugins/<name>.ts`, by name. */
  readonly plugins?: Readonly<Record<string, string>>
  /** Other files, by path in the project. */
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

const memory = "/dev/shm"

/** The free memory that is required, in bytes: a container may have 64 MB. */
const plenty = 6e9

/**
 * Where to make folders for tens of thousands of files, of npm or of images, if the disk itself is not under test: in
 * memory if there is enough of it. A disk would take half of the system's time.
 */
export const roomyPlace = (): string => {
  if (!existsSync(memory)) return tmpdir()
  const {bavail, bsize} = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) > plenty ? memory : tmpdir()
}

/** An empty scratch folder, removed when the test ends. */
export const makeFolder = (place = tmpdir()): string => {
  const folder = mkdtempSync(join(place, "svc-"))
  whenOver(() => rmSync(folder, {recursive: true, force: true}))
  return folder
}

/** The project in a folder. */
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

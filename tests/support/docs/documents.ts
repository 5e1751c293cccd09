import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {parse} from "yaml"
import {ProjectConfig} from "../../../shared/config/config.ts"
import {root} from "../host/runtimes.ts"

export interface Fence {
  readonly language: string
  readonly text: string
  /** The path in its first line, `// plugins/notes.ts`; empty without one. */
  readonly file: string
}

export interface Document {
  /** Relative to the repository. */
  readonly path: string
  readonly text: string
  readonly fences: readonly Fence[]
}

const fencesOf = (text: string): Fence[] =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = "", body = ""]) => ({
    language,
    text: body,
    file: /^(?:\/\/|#) (\S+\.\w+)\n/.exec(body)?.[1] ?? "",
  }))

/** Reads all Markdown pages of the repository, except those of a new project. */
export const readDocuments = (): readonly Document[] => {
  const top = readdirSync(root).filter(name => name.endsWith(".md"))
  const docs = readdirSync(join(root, "docs"), {recursive: true, encoding: "utf8"})
    .filter(name => name.endsWith(".md"))
    .map(name => join("docs", name))
  const projects = ["examples", "plugins"].flatMap(parent =>
    readdirSync(join(root, parent)).map(name => join(parent, name, "README.md")),
  )
  return [...top, ...docs, ...projects].sort().map(path => {
    const text = readFileSync(join(root, path), "utf8")
    return {path, text, fences: fencesOf(text)}
  })
}

export interface DocumentedConfig {
  /** The page, and the index of the configuration in it. */
  readonly name: string
  readonly text: string
  /** A value for each variable in it. */
  readonly variables: Readonly<Record<string, string>>
}

const isConfig = ({language, text}: Fence): boolean => {
  const value: unknown = language === "yaml" ? parse(text) : undefined
  return typeof value === "object" && value !== null && Object.keys(value).some(key => key in ProjectConfig.properties)
}

/** Every example of `svc.config.yml` in the documentation: YAML with one of its top-level keys. */
export const readConfigs = (): readonly DocumentedConfig[] =>
  readDocuments().flatMap(({path, fences}) =>
    fences.filter(isConfig).map(({text}, index) => {
      const names = [...text.matchAll(/\$\{([A-Za-z_]\w*)/g)].map(match => match[1] ?? "")
      const variables = Object.fromEntries(names.map((name, number) => [name, String(16_000 + number)]))
      return {name: `${path} (${index + 1})`, text, variables}
    }),
  )

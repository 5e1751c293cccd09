import {readdirSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {root} from "./runtimes.ts"

export interface Fence {
  readonly language: string
  readonly text: string
  /** The path in its first line, `// plugins/notes.ts`; empty for none. */
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

/** Every Markdown page of the repository, but those of a new project. */
export const readDocuments = (): readonly Document[] => {
  const top = readdirSync(root).filter(name => name.endsWith(".md"))
  const docs = readdirSync(join(root, "docs"), {recursive: true, encoding: "utf8"})
    .filter(name => name.endsWith(".md"))
    .map(name => join("docs", name))
  return [...top, ...docs].sort().map(path => {
    const text = readFileSync(join(root, path), "utf8")
    return {path, text, fences: fencesOf(text)}
  })
}

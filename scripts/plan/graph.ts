import {readdirSync, readFileSync} from "node:fs"
import {dirname, join} from "node:path"
import {parse} from "svelte/compiler"
import typescript from "typescript"
import {root} from "../root.ts"

/** The folders of the program: its source, and the scripts that build it. */
export const programFolders = ["shared", "server", "cli", "scripts"] as const

/** For each source file, its imports: paths in the repository and names of packages. */
export type Imports = ReadonlyMap<string, readonly string[]>

/** Returns all source files below these folders, without declarations and project templates. */
export const sourceFiles = (folders: readonly string[] = programFolders): readonly string[] =>
  folders
    .flatMap(folder =>
      readdirSync(join(root, folder), {recursive: true, encoding: "utf8"}).map(file => join(folder, file)),
    )
    .filter(file => /\.(ts|js|mjs|svelte)$/.test(file) && !file.endsWith(".d.ts") && !file.startsWith("cli/init/"))
    .sort()

/** Reads all imports of each file: values and types, static and dynamic. */
export const readImports = (files: readonly string[]): Imports => readBy(importsOf, files)

/** Reads the static value imports of each file: no types and no dynamic imports. */
export const readLoads = (files: readonly string[]): Imports => readBy(loadsOf, files)

const readBy = (pathsOf: (file: string, text: string) => readonly string[], files: readonly string[]): Imports => {
  const known = new Set(files)
  const resolve = (file: string, path: string) => {
    if (!path.startsWith(".")) return path
    const target = join(dirname(file), path)
    // A Svelte module (.svelte.ts) is imported without its last ending.
    return known.has(`${target}.ts`) ? `${target}.ts` : target
  }
  return new Map(
    files.map(file => {
      const text = readFileSync(join(root, file), "utf8")
      const paths = pathsOf(file, file.endsWith(".svelte") ? scriptsOf(text) : text)
      return [file, [...new Set(paths.map(path => resolve(file, path)))]]
    }),
  )
}

const importsOf = (_: string, text: string): readonly string[] =>
  typescript.preProcessFile(text, true, true).importedFiles.map(({fileName}) => fileName)

const loadsOf = (file: string, text: string): readonly string[] =>
  typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest).statements.flatMap(statement => {
    const isLoaded =
      (typescript.isImportDeclaration(statement) && statement.importClause?.isTypeOnly !== true) ||
      (typescript.isExportDeclaration(statement) && !statement.isTypeOnly)
    const from = isLoaded ? statement.moduleSpecifier : undefined
    return from !== undefined && typescript.isStringLiteral(from) ? [from.text] : []
  })

/** Returns the scripts of a component. */
const scriptsOf = (text: string): string => {
  const {instance, module} = parse(text, {modern: true})
  return [module, instance]
    .flatMap(script => (script ? [text.slice(script.start, script.end)] : []))
    .map(script => script.replace(/^<script[^>]*>|<\/script>$/g, ""))
    .join("\n")
}

/** Returns a file's room: a top-level folder, or for `server/` one of its folders. */
export const roomOf = (file: string): string => {
  const [top = "", second = ""] = file.split("/")
  return top === "server" ? `server/${second}` : top
}

/** Counts the imports from each room into each other room, or from each folder if `groupOf` says so. */
export const arrowsOf = (imports: Imports, groupOf = roomOf): ReadonlyMap<string, number> => {
  const arrows = new Map<string, number>()
  for (const [file, targets] of imports) {
    for (const target of targets.filter(each => imports.has(each))) {
      const [from, to] = [groupOf(file), groupOf(target)]
      if (from !== to) arrows.set(`${from} -> ${to}`, (arrows.get(`${from} -> ${to}`) ?? 0) + 1)
    }
  }
  return arrows
}

/** Lists the pairs of folders, or of rooms, that import each other. */
export const pairsOf = (arrows: ReadonlyMap<string, number>): readonly string[] =>
  [...arrows.keys()].filter(arrow => {
    const [from = "", to = ""] = arrow.split(" -> ")
    return from < to && arrows.has(`${to} -> ${from}`)
  })

/** Finds circles of files that import each other, each circle once (Tarjan's strongly connected components). */
export const circlesOf = (imports: Imports): readonly (readonly string[])[] => {
  const circles: string[][] = []
  const seen = new Map<string, {readonly index: number; low: number}>()
  const stack: string[] = []
  const visit = (file: string): {low: number} => {
    const node = {index: seen.size, low: seen.size}
    seen.set(file, node)
    stack.push(file)
    for (const target of (imports.get(file) ?? []).filter(each => imports.has(each))) {
      const known = seen.get(target)
      if (known === undefined) node.low = Math.min(node.low, visit(target).low)
      else if (stack.includes(target)) node.low = Math.min(node.low, known.index)
    }
    if (node.low === node.index) {
      const circle = stack.splice(stack.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return node
  }
  for (const file of imports.keys()) if (!seen.has(file)) visit(file)
  return circles
}

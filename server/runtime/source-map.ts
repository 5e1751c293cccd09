import {dirname, resolve} from "node:path"
import {fromJson, toJson} from "../../shared/json.ts"
import {tryOr} from "../../shared/try-or.ts"

interface SourceMap {
  readonly sources: readonly string[]
}

const comment = "//# sourceMappingURL=data:application/json;base64,"

/** Returns code with an inline source map. Its sources are absolute, from `folder`: stacks name the real files. */
export const inlineSourceMap = (code: string, map: string, folder: string): string => {
  const parsed = fromJson(map) as SourceMap
  const absolute = {...parsed, sources: parsed.sources.map(source => resolve(folder, source))}
  return `${code}\n${comment}${Buffer.from(toJson(absolute)).toString("base64")}\n`
}

/** Returns the absolute paths of the sources in a module's inline source map; none without a map. */
export const mappedSources = (path: string, code: string): readonly string[] => {
  const at = code.lastIndexOf(comment)
  if (at < 0) return []
  const read = () => fromJson(Buffer.from(code.slice(at + comment.length), "base64").toString()) as SourceMap
  return tryOr(() => read().sources.map(source => resolve(dirname(path), source)), [])
}

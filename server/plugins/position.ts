import {relative} from "node:path"
import type {Position} from "../../shared/api/plugin-views.ts"

/** Where in a plugin's own files an error was thrown: the topmost frame of its stack that is one of them. */
export const positionIn = (error: unknown, files: readonly string[], project: string): Position | undefined => {
  if (!(error instanceof Error)) return undefined
  for (const frame of (error.stack ?? "").split("\n")) {
    const file = files.find(path => frame.includes(path))
    const place = /:(\d+):(\d+)\)?\s*$/.exec(frame)
    if (file !== undefined && place !== null) {
      return {file: relative(project, file), line: Number(place[1]), column: Number(place[2])}
    }
  }
  return undefined
}

/** The files of the modules whose own code runs just now, as they are imported. */
const importing = new Set<readonly string[]>()

/** Imports a module of these files; `isImporting` knows of it until it has ended. */
export const whileImporting = async <T>(files: readonly string[], load: () => Promise<T>): Promise<T> => {
  // One more object than its content: two imports of the same files are two.
  const own = [...files]
  importing.add(own)
  try {
    return await load()
  } finally {
    importing.delete(own)
  }
}

/** Was this error made by code of a module that is being imported? */
export const isImporting = ({stack = ""}: Error): boolean =>
  [...importing].some(files => files.some(file => stack.includes(file)))

import {relative} from "node:path"
import type {Position} from "../../../shared/api/plugin-views.ts"

/** Returns where in a plugin's files an error was thrown: the topmost frame of its stack that is in one of them. */
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

/** The files of the modules that are being imported now. */
const importing = new Set<readonly string[]>()

/** Imports a module of these files. `isImporting` recognizes its code until the import has ended. */
export const whileImporting = async <T>(files: readonly string[], load: () => Promise<T>): Promise<T> => {
  // A separate object for each import, because two imports may have the same files.
  const own = [...files]
  importing.add(own)
  try {
    return await load()
  } finally {
    importing.delete(own)
  }
}

/** Returns whether an error comes from a module that is being imported. */
export const isImporting = ({stack = ""}: Error): boolean =>
  [...importing].some(files => files.some(file => stack.includes(file)))

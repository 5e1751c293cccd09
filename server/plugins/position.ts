import {relative} from "node:path"

export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

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

import type {build as Build} from "esbuild"
import type {Issue} from "../../shared/problems.ts"

interface BuildFailure {
  readonly errors?: readonly {text: string; location: {file: string; line: number; column: number} | null}[]
}

/** The positions in what esbuild rejects with. */
export const esbuildIssues = (failure: unknown): readonly Issue[] =>
  ((failure as BuildFailure).errors ?? []).map(({text, location}) => ({
    file: location?.file ?? "",
    line: location?.line ?? 1,
    column: (location?.column ?? 0) + 1,
    path: "",
    message: text,
  }))

/** esbuild's process ends once nothing was built for so many milliseconds: it holds about 12 MB (measured). */
const idleLimit = 1000

let building = 0
let idle: NodeJS.Timeout | undefined

/** Builds in esbuild's own process, which the next build starts again. */
export const buildInService: typeof Build = async options => {
  const {build, stop} = await import("esbuild")
  clearTimeout(idle)
  building++
  try {
    return await build(options)
  } finally {
    building--
    if (building === 0) idle = setTimeout(() => void stop(), idleLimit).unref()
  }
}

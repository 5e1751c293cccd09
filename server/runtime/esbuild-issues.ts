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

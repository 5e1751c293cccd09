import {formatIssue, Problem} from "../../../shared/problems.ts"

/** The findings of the Problem that `work` throws, which may have to have this code; none if it throws nothing. */
export const issuesOf = (work: () => unknown, code?: Problem["code"]): readonly string[] => {
  try {
    work()
    return []
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== (code ?? error.code)) throw error
    return error.issues.map(formatIssue)
  }
}

/** The error that `work` rejects with. Throws if it does not reject. */
export const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => Promise.reject(new Error("nothing was thrown")),
    (error: unknown) => error,
  )

/** "done", or the code and the message of the error. */
export const problemOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    error => `${error.code}: ${error.message}`,
  )

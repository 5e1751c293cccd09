import {existsSync, readFileSync} from "node:fs"
import {join} from "node:path"
import {packageRoot} from "../../server/runtime/own-files.ts"

/** Returns the completion of a shell, which the build writes; undefined for any other word. */
export const completionOf = (shell: string): string | undefined => {
  const file = join(packageRoot, "dist/completion", `svc.${shell}`)
  return /^[a-z]+$/.test(shell) && existsSync(file) ? readFileSync(file, "utf8") : undefined
}

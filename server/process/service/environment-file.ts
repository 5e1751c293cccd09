import {stat} from "node:fs/promises"
import {join} from "node:path"
import {Problem} from "../../../shared/problems.ts"

/** Checks the project's `.env`: its mode must be 0600, and its owner the service's user. Throws `service_refused`. */
export const requireEnvironmentFile = async (project: string, user: {id: number; name: string}): Promise<void> => {
  const path = join(project, ".env")
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) {
    throw new Problem("service_refused", `there is no ${path}`, {
      hint: "Run install -m 0600 .env.example .env, and replace HTTP_TOKEN in it.",
    })
  }
  const mode = (found.mode & 0o777).toString(8)
  if (mode !== "600" || found.uid !== user.id) {
    throw new Problem("service_refused", `${path} has mode ${mode} and belongs to uid ${found.uid}`, {
      hint: `chown ${user.name} ${path} && chmod 600 ${path}`,
    })
  }
}

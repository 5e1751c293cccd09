import {mkdtempSync, rmSync} from "node:fs"
import {join} from "node:path"
import {roomyPlace} from "../../../support/host/project.ts"
import {makeBotProject, pathWithNode22} from "../bot-project.ts"
import {makeBaseImages, makeDebian} from "./base-images.ts"
import {composePlugin} from "./compose-plugin.ts"
import {type Composition, openComposition} from "./composition.ts"
import {startDocker} from "./dockerd.ts"

/** A Docker engine with Compose and base images, by default for Bun only. */
export interface ComposeEngine {
  /** A folder that is deleted with the engine. */
  readonly scratch: string
  /** Makes a new project of this name with `svc init`. */
  makeProject(name: string, runtime: "bun" | "node"): Promise<Composition>
  close(): Promise<void>
}

/** The page's line for a restart, with the same effect as the console's. */
export const restart = "docker compose exec -T bot svc runtime restart"

/** The page's line that writes a fresh token into `.env`. */
export const setToken = 'sed -i "s/^HTTP_TOKEN=.*/HTTP_TOKEN=$(openssl rand -hex 32)/" .env'

export const startComposeEngine = async ({withNode = false} = {}): Promise<ComposeEngine> => {
  const scratch = mkdtempSync(join(roomyPlace(), "svc-compose-"))
  const path = pathWithNode22(scratch)
  const [plugin] = await Promise.all([composePlugin(), makeDebian()])
  const docker = await startDocker(join(scratch, "docker"), plugin)
  await makeBaseImages(docker, join(scratch, "images"), withNode)
  return {
    scratch,
    makeProject: async (name, runtime) => {
      const folder = await makeBotProject(scratch, name, runtime, path)
      return openComposition(folder, `${folder}/node_modules/.bin:${path}`, docker)
    },
    close: async () => {
      await docker.close()
      rmSync(scratch, {recursive: true, force: true})
    },
  }
}

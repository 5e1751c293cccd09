import {fileURLToPath} from "node:url"

/** The folder of the svc package: this file is in cli/ in the source, and in dist/ in the bundle. */
export const packageRoot: string = fileURLToPath(new URL("..", import.meta.url))

import manifest from "../../package.json" with {type: "json"}

/** The version of svc. */
export const version: string = manifest.version

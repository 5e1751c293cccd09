/** How esbuild compiles plugins, on load and for a release alike: what runs is the same. */
export const pluginBuild = {
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  target: "node22",
  packages: "external",
  metafile: true,
  logLevel: "silent",
} as const

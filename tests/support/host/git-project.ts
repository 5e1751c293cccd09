import {execFileSync} from "node:child_process"
import {copyProject, makeProject, type Project, type ProjectOptions} from "./project.ts"

export interface GitProject extends Project {
  git(...args: readonly string[]): string
  commit(message: string): string
}

const withGit = (project: Project): GitProject => {
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], {
      cwd: project.folder,
      encoding: "utf8",
      env: {PATH: process.env.PATH ?? "", HOME: project.folder, GIT_CONFIG_NOSYSTEM: "1"},
    }).trim()
  const commit = (message: string) => {
    git("add", "--all")
    git("commit", "--quiet", "--message", message)
    return git("rev-parse", "HEAD")
  }
  return {...project, git, commit}
}

/** A scratch project in its own git work tree, with everything committed that a project commits. */
export const makeGitProject = ({files = {}, ...options}: ProjectOptions = {}): GitProject => {
  const ignored = {".gitignore": "node_modules\n.svc\ndata\ndist\n.env\n"}
  const project = withGit(makeProject({...options, files: {...ignored, ...files}}))
  project.git("init", "--quiet", "--initial-branch", "main")
  project.commit("the first version")
  return project
}

/** A copy of a stopped project, with its data and its repository. */
export const copyGitProject = (project: Project): GitProject => withGit(copyProject(project))

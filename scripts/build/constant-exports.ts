import typescript from "typescript"

/**
 * Throws if a module assigns to one of its exports, or to another variable of that name: a module that gets the exports by a
 * call would not see the new value.
 */
export const requireConstantExports = (file: string, text: string): void => {
  const source = typescript.createSourceFile(file, text, typescript.ScriptTarget.Latest)
  const exported = new Set(source.statements.flatMap(exportsOf))
  const visit = (node: typescript.Node): void => {
    const name = assignedBy(node)
    if (name !== undefined && exported.has(name)) throw new Error(`${file} exports ${name} and assigns to it`)
    typescript.forEachChild(node, visit)
  }
  visit(source)
}

const exportsOf = (statement: typescript.Statement): readonly string[] => {
  if (!typescript.isExportDeclaration(statement)) return []
  const clause = statement.exportClause
  if (clause === undefined || !typescript.isNamedExports(clause)) return []
  return clause.elements.map(({name, propertyName}) => (propertyName ?? name).text)
}

/** Returns the name to which a node assigns, also by `++` and `--`. */
const assignedBy = (node: typescript.Node): string | undefined => {
  const {FirstAssignment, LastAssignment, PlusPlusToken, MinusMinusToken} = typescript.SyntaxKind
  const isAssignment =
    typescript.isBinaryExpression(node) &&
    node.operatorToken.kind >= FirstAssignment &&
    node.operatorToken.kind <= LastAssignment
  if (isAssignment) return nameOf(node.left)
  const isUnary = typescript.isPrefixUnaryExpression(node) || typescript.isPostfixUnaryExpression(node)
  return isUnary && [PlusPlusToken, MinusMinusToken].includes(node.operator) ? nameOf(node.operand) : undefined
}

const nameOf = (node: typescript.Node) => (typescript.isIdentifier(node) ? node.text : undefined)

// The mutants of the library's source files: small changes that a test should detect. Types, error messages and loop counters
// are not mutated; a loop that counts the other way would never end.
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** Operators and their replacements: another operation, the other side of a boundary, the opposite. */
const SWAPS = {
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '/=': ['*='],
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '&&': ['||'],
  '||': ['&&'],
  '>>': ['<<'],
  '&': ['|'],
};
/** Methods and their replacements. */
const METHODS = { min: 'max', max: 'min', floor: 'ceil', ceil: 'floor', some: 'every', every: 'some' };

/** All mutants of a source file: the position, the original text and the new text. */
function mutantsOf(source, checker, file) {
  const mutants = [];
  const change = (node, text, from = node.getStart(source), to = node.end) => {
    const { line } = source.getLineAndCharacterOfPosition(from);
    mutants.push({ file, line: line + 1, from, to, original: source.text.slice(from, to), text });
  };
  const remove = (statement) => change(statement, `/* ${statement.getText(source).split('\n')[0]} */;`);
  const isString = (node) => Boolean(checker.getTypeAtLocation(node).flags & ts.TypeFlags.StringLike);
  const isChanged = (node) => ts.isBinaryExpression(node) && node.operatorToken.getText(source) in SWAPS;

  /** An empty value that a function may return instead of this expression, if its type allows one. */
  function empty(result) {
    if (isChanged(result) || ts.isLiteralExpression(result)) return;
    const type = checker.getTypeAtLocation(result);
    if (type.flags & ts.TypeFlags.NumberLike) change(result, '0');
    else if (checker.isArrayType(type)) change(result, '[]');
    else if (type.flags & ts.TypeFlags.BooleanLike && !isLiteral(result))
      change(result, `!(${result.getText(source)})`);
  }
  const isLiteral = ({ kind }) => kind === ts.SyntaxKind.TrueKeyword || kind === ts.SyntaxKind.FalseKeyword;

  /** The negation of a condition, if no operator in it is mutated anyway. */
  function negate(condition) {
    if (!isChanged(condition) && !ts.isPrefixUnaryExpression(condition)) {
      change(condition, `!(${condition.getText(source)})`);
    }
  }

  function visit(node) {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node)) return;
    if (ts.isExpressionStatement(node) || ts.isBreakStatement(node) || ts.isContinueStatement(node)) remove(node);
    if (ts.isThrowStatement(node)) {
      // Error messages, and the numbers in them, are covered by the tests that look for them.
      remove(node);
      return;
    }
    if (ts.isReturnStatement(node)) {
      if (node.expression) empty(node.expression);
      else remove(node);
    }
    if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) empty(node.body);
    if (ts.isIfStatement(node) || ts.isWhileStatement(node)) negate(node.expression);
    if (ts.isConditionalExpression(node)) negate(node.condition);
    if (isChanged(node) && !isString(node)) {
      for (const text of SWAPS[node.operatorToken.getText(source)]) change(node.operatorToken, text);
    }
    if (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) {
      const operand = node.operand.getText(source);
      // A loop that counts the other way never ends, which says nothing about the tests.
      const counts = ts.isForStatement(node.parent) || ts.isBinaryExpression(node.parent);
      if (node.operator === ts.SyntaxKind.PlusPlusToken && !counts) change(node, `${operand}--`);
      if (node.operator === ts.SyntaxKind.MinusMinusToken && !counts) change(node, `${operand}++`);
      if (node.operator === ts.SyntaxKind.MinusToken || node.operator === ts.SyntaxKind.ExclamationToken) {
        change(node, `(${operand})`);
      }
    }
    if (ts.isNumericLiteral(node)) {
      const value = Number(node.text);
      if (value + 1 !== value) change(node, value === 1 ? '0' : `${value + 1}`);
    }
    if (isLiteral(node)) change(node, `${node.kind === ts.SyntaxKind.FalseKeyword}`);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name } = node.expression;
      if (Object.hasOwn(METHODS, name.text)) change(name, METHODS[name.text]);
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  return mutants;
}

/**
 * The mutants of all files in these folders of the library whose path begins with one of `only`, in order. Each has the `code`
 * of the whole file, and the `changed` line.
 */
export function allMutants(library, folders, only) {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(library, 'tsconfig.json'),
    {},
    {
      ...ts.sys,
      onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
        throw new Error(`${messageText}`);
      },
    },
  );
  const program = ts.createProgram(config.fileNames, config.options);
  const sources = program
    .getSourceFiles()
    .map((source) => ({ source, file: source.fileName.split('/packages/ght/src/')[1] ?? '' }))
    .filter(({ file }) => folders.includes(dirname(file)) && only.split(',').some((name) => file.startsWith(name)))
    .sort((a, b) => folders.indexOf(dirname(a.file)) - folders.indexOf(dirname(b.file)) || (a.file < b.file ? -1 : 1));
  if (sources.length === 0) throw new Error(`--only must name a file or folder of ${folders.join(', ')}, not ${only}`);
  const checker = program.getTypeChecker();
  return sources.flatMap(({ source, file }) =>
    mutantsOf(source, checker, file).map((mutant) => {
      const code = source.text.slice(0, mutant.from) + mutant.text + source.text.slice(mutant.to);
      return { ...mutant, code, changed: code.split('\n')[mutant.line - 1].trim() };
    }),
  );
}

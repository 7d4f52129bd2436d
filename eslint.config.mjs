import tseslint from 'typescript-eslint';

const catalogued = {
  selector: 'ThrowStatement > NewExpression[callee.name="Error"]',
  message: 'Throw a catalogued error (defineErrors in this folder’s errors.ts).',
};
const namedOnly = { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' };
const noEnv = {
  selector: 'MemberExpression[object.name="process"][property.name="env"]',
  message: 'process.env is read in cli/ and compose/ only; take a reader `env(name)`.',
};
const noModuleState = {
  selector: 'Program > VariableDeclaration[kind="let"]',
  message: 'No module-level mutable state.',
};

export default tseslint.config(
  { ignores: ['dist/**', '.tools/**', 'node_modules/**', 'e2e/fixtures/**', 'images/**', 'test/fixtures/**'] },
  ...tseslint.configs.strictTypeChecked.map((c) => ({
    ...c,
    files: ['src/**/*.ts', 'test/**/*.ts', 'e2e/**/*.ts', 'bench/**/*.ts'],
  })),
  {
    files: ['src/**/*.ts', 'test/**/*.ts', 'e2e/**/*.ts', 'bench/**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      complexity: ['error', 12],
      'max-params': ['error', 4],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', catalogued, namedOnly, noEnv, noModuleState],
    },
  },
  {
    files: ['src/cli/**', 'src/compose/**'],
    rules: { 'no-restricted-syntax': ['error', catalogued, namedOnly, noModuleState] },
  },
  {
    files: ['test/**/*.ts', 'e2e/**/*.ts', 'bench/**/*.ts'],
    rules: {
      'max-lines-per-function': 'off',
      'max-lines': ['error', { max: 600, skipBlankLines: true, skipComments: true }],
      'no-console': 'off',
      'no-restricted-syntax': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
);

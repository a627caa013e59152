// SPDX-License-Identifier: Apache-2.0
// All browser tests, in one browser: node main.js OUTPUT [WORDS]; only tests whose name has WORDS.
import {accessTests} from './access.js';
import {codeTests} from './code.js';
import {controlTests} from './controls.js';
import {costTests} from './costs.js';
import {diffTests} from './diff.js';
import {exportTests} from './exports.js';
import {firefoxTests} from './firefox.js';
import {layoutTests} from './layout.js';
import {numberTests} from './numbers.js';
import {pairTests} from './pair.js';
import {pictureTests} from './pictures.js';
import {startBrowser, stopBrowser} from './report.js';
import {promiseTests} from './promises.js';
import {safetyTests} from './safety.js';
import {selectionTests} from './selections.js';
import {screenshotTests} from './screenshots.js';
import {runTests} from './tap.js';
import {taskTests} from './tasks.js';
import {trackTests} from './tracks.js';
import {treeTests} from './tree.js';

const [, , output, words] = process.argv;
safetyTests(output);
numberTests(output);
selectionTests(output);
taskTests(output);
codeTests(output);
treeTests(output);
layoutTests(output);
controlTests(output);
pictureTests(output);
trackTests(output);
exportTests(output);
diffTests(output);
pairTests(output);
promiseTests(output);
costTests(output);
accessTests(output);
firefoxTests(output);
screenshotTests(output);
await startBrowser();
// A page waits more than it computes.
const passed = await runTests(2, words);
await stopBrowser();
process.exitCode = passed ? 0 : 1;

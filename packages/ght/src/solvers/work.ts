export * from '../work.js';

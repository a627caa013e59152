// SPDX-License-Identifier: Apache-2.0
// clang's driver and compiler in one program, on the archives that Debian ships.
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/ObjectFilePCHContainerOperations.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/FrontendTool/Utils.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

static int compile(llvm::SmallVectorImpl<const char *> &arguments)
{
	llvm::InitializeNativeTarget();
	llvm::InitializeNativeTargetAsmPrinter();
	llvm::InitializeNativeTargetAsmParser();

	clang::CompilerInstance compiler;
	compiler.createDiagnostics();
	auto operations = compiler.getPCHContainerOperations();
	operations->registerWriter(std::make_unique<clang::ObjectFilePCHContainerWriter>());
	operations->registerReader(std::make_unique<clang::ObjectFilePCHContainerReader>());
	llvm::ArrayRef<const char *> options = llvm::ArrayRef(arguments).drop_front(2);
	if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), options,
						       compiler.getDiagnostics(), arguments[0]))
		return 1;
	return clang::ExecuteCompilerInvocation(&compiler) ? 0 : 1;
}

int main(int argc, char **argv)
{
	llvm::SmallVector<const char *, 64> arguments(argv, argv + argc);
	if (argc > 1 && llvm::StringRef(argv[1]) == "-cc1")
		return compile(arguments);

	llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options = new clang::DiagnosticOptions;
	clang::DiagnosticsEngine diagnostics(
		new clang::DiagnosticIDs, options,
		new clang::TextDiagnosticPrinter(llvm::errs(), options.get()));
	clang::driver::Driver driver(llvm::sys::fs::getMainExecutable(argv[0], nullptr),
				     llvm::sys::getDefaultTargetTriple(), diagnostics);
	driver.CC1Main = compile;
	std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(arguments));
	if (!compilation)
		return 1;
	llvm::SmallVector<std::pair<int, const clang::driver::Command *>, 4> failed;
	return driver.ExecuteCompilation(*compilation, failed);
}
